import { Command, InvalidArgumentError, Option } from 'commander'
import { type Reader, readers } from './readers'

export interface FuzzOptions {
  readonly readers: readonly Reader[]
  /** Repeats a run. */
  readonly seed: number
  /** Cases for each operation. */
  readonly maxExamples: number
  /** a part of it that takes little more than a minute. */
  readonly bounded: boolean
}

export function readOptions(argv: readonly string[]): FuzzOptions {
  const whole = (text: string) => {
    if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('a whole number')
    return Number(text)
  }
  return new Command('fuzz')
    .description('Sends what the OpenAPI document allows, and what it does not, and checks the replies by it.')
    .addOption(new Option('--readers <names...>', 'who asks').choices(readers).default(readers))
    .option('--seed <number>', 'repeats a run', whole, Math.floor(Math.random() * 1_000_000_000))
    .option('--max-examples <number>', 'cases for each operation', whole, 50)
    .option('--bounded', 'one category, few cases, the slowest phase as the owner alone', false)
    .parse(argv)
    .opts<FuzzOptions>()
}
