export default (request) => new Response(`web ${new URL(request.url).searchParams.get('name')}`)
