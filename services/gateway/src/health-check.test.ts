import { HealthCheck } from './health-check'

describe('the health check', () => {
  let probes = 0
  let isWell = true
  let finish: () => void = () => undefined
  const probe = () => {
    probes += 1
    return new Promise<void>((resolve, reject) => {
      finish = () => (isWell ? resolve() : reject(new Error('away')))
    })
  }
  beforeEach(() => {
    jest.useFakeTimers()
    probes = 0
    isWell = true
  })
  afterEach(() => jest.useRealTimers())

  const answers = (check: HealthCheck) => Promise.all(Array.from({ length: 300 }, () => check.isHealthy()))

  it('shares the probe that is under way, however long it takes', async () => {
    const check = new HealthCheck(probe)
    const first = answers(check)
    jest.advanceTimersByTime(5_000)
    const second = answers(check)
    finish()
    expect(new Set([...(await first), ...(await second)])).toEqual(new Set([true]))
    expect(probes).toBe(1)
  })

  it.each([true, false])('answers %s for a second after a probe, then probes again', async (well) => {
    isWell = well
    const check = new HealthCheck(probe)
    const first = check.isHealthy()
    finish()
    expect(await first).toBe(well)
    jest.advanceTimersByTime(999)
    expect(new Set(await answers(check))).toEqual(new Set([well]))
    expect(probes).toBe(1)

    jest.advanceTimersByTime(1)
    isWell = !well
    const next = check.isHealthy()
    finish()
    expect(await next).toBe(!well)
    expect(probes).toBe(2)
  })
})
