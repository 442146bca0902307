/** Whether a name leads to whatever machine asks for it, and to nobody else. */
export const isLocalName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost')
