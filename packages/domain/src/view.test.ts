import { characterView, fullView, publicView, type Sight, sees, viewOf } from './view'

const element: Sight = { id: 'e', createdBy: null, hidden: false, characters: [], onRoster: false }
const hidden = { ...element, hidden: true }
const own = { ...element, createdBy: 'm' }
const addressed = { ...element, characters: ['c'] }
const played = { ...element, onRoster: true }
const self = { ...element, id: 'c' }

const views = {
  owner: viewOf('owner', '', null),
  coBuilder: viewOf('co_builder', 'm', null),
  contributor: viewOf('contributor', 'm', null),
  guest: viewOf('guest', 'm', 'c'),
  guestOfNobody: viewOf('guest', 'm', null),
  character: characterView('c'),
  public: publicView,
}

describe('a view', () => {
  it.each([
    ['owner', [element, hidden, own, addressed, played, self], []],
    ['coBuilder', [element, hidden, own, addressed, played, self], []],
    [
      'contributor',
      [element, own, { ...own, hidden: true }, addressed, played, self],
      [hidden, { ...addressed, hidden: true }],
    ],
    [
      'guest',
      [own, { ...own, hidden: true }, addressed, played, self],
      [element, hidden, { ...addressed, hidden: true }, { ...played, hidden: true }],
    ],
    ['guestOfNobody', [own, played], [element, addressed, self]],
    ['character', [addressed, played, self], [element, own, { ...self, hidden: true }]],
    ['public', [element, own, addressed, played, self], [hidden, { ...own, hidden: true }]],
  ] as const)('of %s sees what it may and no more', (name, seen, unseen) => {
    for (const one of seen) expect(sees(views[name], one)).toBe(true)
    for (const one of unseen) expect(sees(views[name], one)).toBe(false)
  })

  it('of the owner and of a co-builder is the same', () => {
    expect(views.owner).toEqual(fullView)
    expect(views.coBuilder).toEqual(fullView)
  })
})
