interface Tool {
  readonly suite: string
  readonly packages: readonly string[]
  present(): boolean
}

export const TOOLS: Readonly<Record<string, Tool>>

export function ensureTools(names: readonly string[]): string[]
