export const dynamic = 'force-dynamic'

export const GET = () => Response.json({ instrumented: globalThis.instrumented ?? null })
