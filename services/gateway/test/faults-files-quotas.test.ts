/** Redis that has lost how many tickets were issued: the rows say it again. */
import { startSystem } from '@worlds/testkit/system'
import { gateway, openBooks, soon } from './faults-files-support'
import { addFile, askTicket, fileTicket, imageTicket } from './files-support'
import { expectRefusal, newOwner } from './support'

describe('tickets of a day, once Redis was emptied', () => {
  it('[FL-019][FL-077] are counted on from the rows', async () => {
    const file = { ...soon, FILE_TICKETS: '3', IMAGE_TICKETS: '2' }
    const other = await startSystem({ files: true, env: { gateway, file } })
    const its = await openBooks(other)
    try {
      const owner = await newOwner(other)
      const { id } = await owner.make('location')
      const used = await addFile(owner, 'location', id, { size: 12 }, 'twelve bytes')
      await fileTicket(owner, 'location', id)
      await imageTicket(owner)
      expect((await owner.delete(`/api/v2/location/${id}/files/${used.id}`)).status).toBe(204)
      await its.empty()
      await fileTicket(owner, 'location', id)
      await imageTicket(owner)
      for (let tries = 0; tries < 2; tries += 1) {
        expectRefusal(await askTicket(owner, 'location', id), 429, 'quota_exceeded', null)
        expectRefusal(await owner.post('/api/v2/media/ticket'), 429, 'quota_exceeded', null)
        await its.empty()
      }
      // Many who ask at once find the count gone, and one count is made.
      const fresh = await newOwner(other)
      const place = (await fresh.make('location')).id
      await fileTicket(fresh, 'location', place)
      await its.empty()
      const replies = await Promise.all(Array.from({ length: 12 }, () => askTicket(fresh, 'location', place)))
      expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 201, ...Array(10).fill(429)])
    } finally {
      await its.close()
      await other.stop()
    }
  })
})
