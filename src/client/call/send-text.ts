/** What is read of an answer that is text. */
export interface TextAnswer {
  readonly ok: boolean
  readonly status: number
  readonly headers: {
    /** By its name in small letters. */
    get(name: string): string | null
    entries(): Iterable<[string, string]>
  }
  text(): Promise<string>
}

/** Sends a text, or nothing, and follows no redirects. Fails as fetch does, with an error that has a code. */
export type SendText = (
  url: string,
  request: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string | undefined
    readonly signal: AbortSignal
  },
) => Promise<TextAnswer>
