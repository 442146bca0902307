export const loader = ({ request }: { request: Request }) =>
  new Response(`had ${request.headers.get('cookie') ?? 'none'}`, {
    headers: [
      ['set-cookie', 'one=1; Path=/'],
      ['set-cookie', 'two=2; Path=/'],
    ],
  })
