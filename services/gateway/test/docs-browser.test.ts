import { findProgram } from '@worlds/testkit/find-program'
import { type System, startSystem } from '@worlds/testkit/system'
import { type Browser, chromium, type Page } from 'playwright-core'

/** Of everything that is waited for: a busy machine draws slowly. */
const patienceMs = 90_000

describe('the docs page in a browser without a network', () => {
  let system: System
  let browser: Browser
  let page: Page
  const asked: string[] = []
  const complaints: string[] = []
  beforeAll(async () => {
    system = await startSystem()
    browser = await chromium.launch({
      executablePath: findProgram('chromium') ?? '',
      args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1'],
    })
    page = await browser.newPage()
    page.setDefaultTimeout(patienceMs)
    page.on('request', (request) => asked.push(request.url()))
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
  }, patienceMs)
  afterAll(async () => {
    await browser?.close()
    await system?.stop()
  })

  it('[VR-006] shows the first steps, the errors and the reference, all from its own host', async () => {
    await page.goto(`${system.gateway}/api/v2/docs`)
    await page.waitForSelector('#swagger-ui .opblock-tag')
    expect(await page.locator('#first-steps-curl').isVisible()).toBe(true)
    expect(await page.locator('#swagger-ui .info .title').textContent()).toContain('World Data Service')

    await page.locator('#swagger-ui .opblock-tag[data-tag="character"]').click()
    await page.locator('#operations-character-create-character .opblock-summary-control').click()
    await page.waitForSelector('#operations-character-create-character .responses-table')
    expect(
      await page.locator('#operations-character-create-character .opblock-section-request-body').textContent(),
    ).toContain('The example character')
    expect(complaints).toEqual([])
    expect(asked.filter((url) => !url.startsWith(`${system.gateway}/`) && !url.startsWith('data:'))).toEqual([])
    expect(asked.length).toBeGreaterThan(4)
  }, 120_000)

  it('leads to the section of a code', async () => {
    await page.goto(`${system.gateway}/api/v2/docs#precondition_failed`)
    await page.waitForSelector('#swagger-ui .opblock-tag')
    const section = page.locator('#precondition_failed')
    expect(await section.evaluate((element) => element.matches(':target'))).toBe(true)
    expect(await section.textContent()).toContain('412')
    const { y = -1 } = (await section.boundingBox()) ?? {}
    expect(y).toBeGreaterThanOrEqual(0)
    expect(y).toBeLessThan(400)
  }, 120_000)
})
