/** Turns what a client sent for one field into what is stored (write rules 4, 8 and 9; A20, A21, A24). */
import { clip, invalid, type Refusal } from './errors'
import { isStorable } from './json-input'
import { categories, type Field } from './registry'
import { readUuid } from './uuid'

export type FieldValue = string | number | null | readonly string[]

/** A stored value, or why what was sent can't become one. */
export type Coerced = { readonly value: FieldValue } | { readonly refusal: Refusal }

export function coerce(field: Field, sent: unknown): Coerced {
  switch (field.kind) {
    case 'text':
      return coerceText(field.name, field.maxLength, sent)
    case 'integer':
      return coerceInteger(field.name, sent)
    case 'single_link':
    case 'generic_id':
      return sent === null ? { value: null } : coerceId(field.name, sent)
    case 'multi_link':
      return sent === null ? { value: [] } : coerceIds(field.name, sent)
    case 'generic_type':
      if (sent === null || sent === '') return { value: '' }
      if (typeof sent === 'string' && categories.has(sent)) return { value: sent }
      return refuse(field.name, `${field.name} takes a category.`)
  }
}

/** `null` becomes the empty text, a number its digits; `maxLength` counts code points. */
export function coerceText(name: string, maxLength: number | null, sent: unknown): Coerced {
  const value = typeof sent === 'number' ? digitsOf(sent) : sent === null ? '' : sent
  if (typeof value !== 'string') return refuse(name, `${name} takes text.`)
  if (!isStorable(value)) return refuse(name, `${name} may hold neither NUL nor a lone surrogate.`)
  if (maxLength !== null && isLonger(value, maxLength)) {
    return refuse(name, `${name} is longer than ${maxLength} characters.`)
  }
  return { value }
}

/** 32 bits, signed: digits as text, a number cut toward zero, true and false as 1 and 0. */
export function coerceInteger(name: string, sent: unknown): Coerced {
  if (sent === null) return { value: null }
  const number =
    typeof sent === 'number' ? Math.trunc(sent) : typeof sent === 'boolean' ? Number(sent) : integerFromText(sent)
  if (number === null || !Number.isFinite(number)) return refuse(name, `${name} takes a whole number.`)
  if (number < -2147483648 || number > 2147483647) return refuse(name, `${name} is out of range.`)
  return { value: number + 0 }
}

export function coerceIds(name: string, sent: unknown): Coerced {
  if (!Array.isArray(sent)) return refuse(name, `${name} takes a list of ids.`)
  const ids = new Set<string>()
  for (const item of sent) {
    const id = readUuid(item)
    if (id === null) return refuse(name, `${name} takes ids, each a UUID${quote(item)}.`)
    ids.add(id)
  }
  return { value: [...ids] }
}

function coerceId(name: string, sent: unknown): Coerced {
  const value = readUuid(sent)
  return value === null ? refuse(name, `${name} takes the id of an element, a UUID${quote(sent)}.`) : { value }
}

function refuse(name: string, message: string): Coerced {
  return { refusal: invalid(name, message) }
}

function quote(sent: unknown): string {
  return typeof sent === 'string' ? `, not "${clip(sent)}"` : ''
}

function integerFromText(sent: unknown): number | null {
  if (typeof sent !== 'string') return null
  const text = sent.trim()
  return /^-?\d{1,20}$/.test(text) ? Number(text) : null
}

function isLonger(text: string, limit: number): boolean {
  if (text.length <= limit) return false
  let count = 0
  for (const _ of text) {
    count += 1
    if (count > limit) return true
  }
  return false
}

/** Decimal digits without an exponent; undefined for what is no finite number. */
function digitsOf(number: number): string | undefined {
  if (!Number.isFinite(number)) return undefined
  const text = String(number)
  if (!text.includes('e')) return text
  if (Number.isInteger(number)) return BigInt(number).toString()
  const [mantissa = '', exponent = '0'] = text.split('e')
  const digits = mantissa.replace(/[-.]/g, '')
  const sign = number < 0 ? '-' : ''
  return `${sign}0.${'0'.repeat(-Number(exponent) - 1)}${digits}`
}
