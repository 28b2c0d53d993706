export const names = [
  ...['Aldermoor', 'Brightwater', 'Cinder', 'Duskhollow', 'Emberly', 'Fenwick', 'Gale', 'Hallow', 'Isolde', 'Juniper'],
  ...['Åsgård', 'Çelik', 'Élodie', 'Ívën', 'Łukasz', 'Ñandú', 'Øystein', 'Štefan', 'Ümit', 'Þórr'],
  ...['Александра', 'Зимогорье', 'Київ', 'Ξένια', 'Ωρίων', 'Հայկ', 'თამარი'],
  ...['ליאור', 'زهراء', 'पर्वत', 'แม่น้ำ', '龍之介', '雪の城', '은하수', '🜁 Æther'],
] as const

export const supertypes = ['Origin', 'Settlement', 'Wild', 'Order', 'Relic', 'Сила', '神話'] as const

export const subtypes = ['Minor', 'Major', 'Lost', 'Hidden in plain sight', 'Забытый', '古い'] as const

export const descriptions = [
  'Older than the road that leads there.',
  'Nobody agrees on who built it, and everybody claims to know.',
  'Quoted as "the last of its kind" by three different books.',
  'Burns blue in salt air; \\ and / are both read as omens.',
  'Два берега, одна река, и ни одного моста.',
  'Ο άνεμος ξέρει το όνομά του.',
  '春になると、石が歌い始める。',
  'كل طريق يبدأ من الباب نفسه.',
  'Line one.\nLine two, with a tab\tand an emoji: 🐉.',
  'Costs 5 % less than it should & nobody asks why <yet>.',
] as const
