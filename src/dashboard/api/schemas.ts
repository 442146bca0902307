/**
 * In place of TypeBox, see vite.config.ts. To the browser a schema is its type, which is gone by the time this runs;
 * whatever is asked of a schema is there and holds nothing.
 */
const schema: object = new Proxy({}, { get: () => schema })

export const Type = new Proxy({}, { get: () => () => schema })
