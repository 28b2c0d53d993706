import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { addImage, ask, imageTicket, png, send, untilReported } from './files-support'
import { accountApi } from './hostile-table'
import { addCounted, isServed, realPng, remove } from './images-support'
import { newOwner, type Owner } from './support'
import { expectHostRefusal } from './uploads-support'

/** What keeps a key from being taken twice is in the store, not in anybody's memory: this one is short. */
const memoryMs = 1_500
let system: System
let own: Owner

beforeAll(async () => {
  const env = { 'upload-host': { UPLOAD_PUT_MS: '1000', UPLOAD_LEASE_MS: '500' } }
  system = await startSystem({ files: true, env })
  own = await newOwner(system)
})
afterAll(() => system.stop())

const untilForgotten = () => {
  const began = Date.now()
  return until(() => Date.now() - began > memoryMs)
}

it('[UP-032] a key that an image has is taken', async () => {
  const image = realPng(8)
  const chosen = await addImage(own, image, { 'X-Key': `u/${own.world}/taken.png` })
  const minted = await addImage(own, image)
  await untilForgotten()
  const ticket = await imageTicket(own)
  for (const { key, url } of [chosen, minted]) {
    for (const bytes of [png(), image]) {
      expectHostRefusal(await send(ticket as never, bytes, { 'X-Key': key }), 409, 'exists')
    }
    expect((await ask(url)).bytes).toEqual(image)
  }
  const { status, body } = await send(ticket as never, png())
  expect(status).toBe(201)
  // Counted by now: whoever counts next begins from here.
  await untilReported(own, body.key)
})

it('[IM-001][UP-032] a key that an image had is taken for ever', async () => {
  const bearer = accountApi(system.gateway, own.token)
  const key = `u/${own.world}/gone.png`
  const images = [await addCounted(own, bearer, 64, { 'X-Key': key }), await addCounted(own, bearer)]
  for (const { key } of images) expect((await remove(await untilReported(own, key))).status).toBe(201)
  await untilForgotten()
  const ticket = await imageTicket(own)
  for (const { key, url } of images) {
    expectHostRefusal(await send(ticket as never, png(), { 'X-Key': key }), 409, 'exists')
    expect(await isServed(url)).toBe(false)
  }
  expect((await send(ticket as never, png())).status).toBe(201)
})

it('[UP-032] a key that a refused image asked for is free', async () => {
  const key = `u/${own.world}/free.png`
  const ticket = await imageTicket(own)
  expectHostRefusal(await send(ticket as never, 'GIF89a', { 'X-Key': key }), 415, 'unsupported_type')
  expect((await send((await imageTicket(own)) as never, png(), { 'X-Key': key })).status).toBe(201)
  expectHostRefusal(await send(ticket as never, png(), { 'X-Key': key }), 409, 'exists')
})
