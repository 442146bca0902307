/**
 * A number that is another one after any change of what is stored, whichever process of the machine has made it: as long as it
 * stays the same, whatever was read would be read again. It costs less than reading a row. Undefined where that cannot
 * be told, as of a database that is shared with other machines.
 */
export type DataVersion = () => number | undefined
