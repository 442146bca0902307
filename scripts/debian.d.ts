interface Tool {
  readonly suite: string
  readonly packages: readonly string[]
  present(): boolean
}

/** Where the modules of moto are. */
export const MOTO: string

export const TOOLS: Readonly<Record<string, Tool>>

export function ensureTools(names: readonly string[]): string[]
