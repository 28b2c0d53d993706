import { withOwnImages } from './own-images'

test('images that a style sheet carries become files of their own', () => {
  const svg = '<svg xmlns=\\"http://www.w3.org/2000/svg\\"><path fill=\\"%23fff\\" d=\\"M1 (2)\\"/></svg>'
  const { css, images } = withOwnImages(
    `a{background:url("data:image/svg+xml;charset=utf-8,${svg}") no-repeat}b{background:url(data:image/png;base64,iVBOR/8=)}`,
  )
  expect(css).toBe('a{background:url("image-1.svg") no-repeat}b{background:url("image-2.png")}')
  expect([...images].map(([name, { body, type }]) => [name, type, body.toString('latin1')])).toEqual([
    ['image-1.svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"><path fill="#fff" d="M1 (2)"/></svg>'],
    ['image-2.png', 'image/png', Buffer.from('iVBOR/8=', 'base64').toString('latin1')],
  ])
})

test('what is no image is refused', () => {
  expect(() => withOwnImages('a{src:url(data:font/woff2;base64,AAAA)}')).toThrow('no image')
})
