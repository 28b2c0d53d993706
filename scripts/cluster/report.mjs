/** One line for each thing that was shown, or was not. */
const began = Date.now()
let faults = 0

export function seconds(sinceMs) {
  return `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`
}

export function title(text) {
  console.log(`== ${text} (${((Date.now() - began) / 1000).toFixed(0)} s)`)
}

/** `evidence` is said either way. */
export function check(isSo, what, evidence = '') {
  if (!isSo) faults += 1
  console.log(`${isSo ? 'ok   ' : 'FAULT'} ${what}${evidence === '' ? '' : `: ${evidence}`}`)
  return isSo
}

export function note(text) {
  for (const line of text.trimEnd().split('\n')) console.log(`      ${line}`)
}

export function leftOut(what, why) {
  console.log(`left out: ${what}, for ${why}`)
}

export function faultCount() {
  return faults
}
