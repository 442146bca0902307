export const config = { isr: { expiration: 3600 } }
export const load = ({ params }) => ({ id: params.id, at: Date.now() })
