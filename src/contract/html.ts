const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (c) => ENTITIES[c] as string)

/** A template tag that escapes what is put in; wrap ready markup in `raw`. */
export function html(strings: TemplateStringsArray, ...values: readonly (string | number | Raw)[]): Raw {
  let text = strings[0] as string
  values.forEach((value, i) => {
    text += (value instanceof Raw ? value.text : escapeHtml(String(value))) + strings[i + 1]
  })
  return new Raw(text)
}

export class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toString(): string {
    return this.text
  }
}

export const raw = (text: string): Raw => new Raw(text)
