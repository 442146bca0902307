export const dynamic = 'force-dynamic'
export const GET = (request) => Response.json({ hello: new URL(request.url).searchParams.get('name') })
export const POST = async (request) => Response.json({ got: await request.json() })
