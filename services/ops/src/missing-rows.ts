/** Rows without bytes that a repair removes without being told their number. */
const freely = { rows: 100, share: 0.01 }

/**
 * Returns why a repair must not remove these rows, or null. Many missing objects mean a wrong or damaged bucket rather
 * than lost files, and rows that are removed for it are gone.
 */
export function objectionTo(
  { rows, missing }: { readonly rows: number; readonly missing: number },
  accepted: number | undefined,
): string | null {
  const facts = `${missing} of ${rows} rows lack their bytes; nothing was removed.`
  if (accepted !== undefined) {
    return accepted === missing ? null : `${facts} --accept-missing ${accepted} names another number.`
  }
  if (missing <= freely.rows && missing <= rows * freely.share) return null
  return `${facts} That is more than 1 % or more than 100: check the bucket. To remove these rows: --accept-missing ${missing}`
}
