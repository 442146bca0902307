/** The port that a request to an address of http or https goes to. */
export const portOf = ({ protocol, port }: URL): number =>
  port !== '' ? Number(port) : protocol === 'https:' ? 443 : 80
