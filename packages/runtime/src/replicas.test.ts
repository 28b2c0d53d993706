import { Replicas } from './replicas'

const made = () => {
  const log: string[] = []
  const make = (address: string, name: string | null) => {
    log.push(`open ${address}${name === null ? '' : ` of ${name}`}`)
    return { address, close: () => log.push(`close ${address}`) }
  }
  return { log, make }
}

describe('replicas', () => {
  it('are the addresses given', async () => {
    const { log, make } = made()
    const replicas = new Replicas(['a:1', 'b:2'], make)
    expect((await replicas.list()).map(({ address }) => address)).toEqual(['a:1', 'b:2'])
    replicas.close()
    expect(log).toEqual(['open a:1', 'open b:2', 'close a:1', 'close b:2'])
  })

  it('follow what a name stands for: who joins is opened, who leaves is closed, who stays stays', async () => {
    const { log, make } = made()
    let pods = [
      { address: '10.0.0.1', family: 4 },
      { address: 'fd00::2', family: 6 },
    ]
    const replicas = new Replicas(['dns:element:50051'], make, async () => pods)
    expect((await replicas.list()).map(({ address }) => address)).toEqual(['10.0.0.1:50051', '[fd00::2]:50051'])
    pods = [
      { address: 'fd00::2', family: 6 },
      { address: '10.0.0.3', family: 4 },
    ]
    await replicas.lookAgain()
    expect((await replicas.list()).map(({ address }) => address)).toEqual(['[fd00::2]:50051', '10.0.0.3:50051'])
    replicas.close()
    expect(log.slice(0, 4)).toEqual([
      'open 10.0.0.1:50051 of element',
      'open [fd00::2]:50051 of element',
      'open 10.0.0.3:50051 of element',
      'close 10.0.0.1:50051',
    ])
  })

  it('stay as they were while the name cannot be looked up, and are none before it ever was', async () => {
    const { make } = made()
    let isAway = true
    const replicas = new Replicas(['dns:element:1'], make, async () => {
      if (isAway) throw new Error('ENOTFOUND')
      return [{ address: '10.0.0.1', family: 4 }]
    })
    expect(await replicas.list()).toEqual([])
    isAway = false
    expect(await replicas.list()).toHaveLength(1)
    isAway = true
    await replicas.lookAgain()
    expect(await replicas.list()).toHaveLength(1)
    replicas.close()
  })
})
