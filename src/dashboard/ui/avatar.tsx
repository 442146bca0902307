/** Letters on a colour that is always the same for a name. */
export function Avatar({ name, square = false }: { name: string; square?: boolean }) {
  let hue = 0
  for (const letter of name) hue = (hue * 31 + (letter.codePointAt(0) ?? 0)) % 360
  return (
    <span
      aria-hidden="true"
      className={`grid size-6 shrink-0 place-items-center text-[0.6875rem] font-semibold text-white uppercase ${square ? 'rounded-md' : 'rounded-full'}`}
      style={{ background: `oklch(0.48 0.13 ${hue})` }}
    >
      {name.slice(0, 2)}
    </span>
  )
}
