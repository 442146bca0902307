import { after } from 'next/server'

let ran = 0

export const dynamic = 'force-dynamic'

export function GET() {
  const before = ran
  after(() => {
    ran++
  })
  return Response.json({ ran: before > 0 })
}
