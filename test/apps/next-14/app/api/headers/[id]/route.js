import { headers } from 'next/headers'

export const GET = (_request, { params }) => Response.json({ id: params.id, agent: headers().get('x-asked') })
