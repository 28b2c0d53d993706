import { isIPv4, isIPv6 } from 'node:net'

/**
 * Returns what attempts of a client are counted by: an IPv4 address as it is, the /64 of an IPv6 address (one subscriber
 * has all of it), and `unknown` for what is neither. IPv4 addresses mapped into IPv6 count as IPv4.
 */
export function addressGroup(address: string): string {
  if (isIPv4(address)) return address
  const [bare = ''] = address.split('%')
  if (!isIPv6(bare)) return 'unknown'
  const groups = expand(bare)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** The eight groups of a valid IPv6 address. */
function expand(address: string): number[] {
  const [before = '', after] = address.split('::')
  const head = toGroups(before)
  if (after === undefined) return head
  const tail = toGroups(after)
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}

function toGroups(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}
