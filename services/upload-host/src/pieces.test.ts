import { Pieces } from './pieces'

function pieces(...lengths: number[]): Buffer[] {
  const body = new Pieces()
  return [...lengths.flatMap((length, index) => body.add(Buffer.alloc(length, index))), ...body.end()]
}

describe('pieces of a body', () => {
  it('stay as they are where they are large', () => {
    expect(pieces(65_536, 65_536, 9).map(({ length }) => length)).toEqual([65_536, 65_536, 9])
  })

  it('are joined where they are small, in their order', () => {
    const kept = pieces(1, 2, 3, 4_096, 5, 6)
    expect(kept.map(({ length }) => length)).toEqual([6, 4_096, 11])
    expect([...(kept[0] as Buffer)]).toEqual([0, 1, 1, 2, 2, 2])
  })

  it('are few however many come', () => {
    const kept = pieces(...Array(100_000).fill(1))
    expect(kept.length).toBeLessThan(200)
    expect(Buffer.concat(kept)).toHaveLength(100_000)
  })

  it('are none where nothing comes', () => {
    expect(pieces()).toEqual([])
  })
})
