const OTHER = 'application/octet-stream'

/** The charset of what is text and says nothing about itself: nearly everything written today is UTF-8. */
const utf8 = (type: string): string => `${type}; charset=utf-8`

const BY_EXTENSION: Readonly<Record<string, string>> = {
  aac: 'audio/aac',
  apng: 'image/apng',
  atom: utf8('application/atom+xml'),
  avi: 'video/x-msvideo',
  avif: 'image/avif',
  bmp: 'image/bmp',
  cjs: utf8('text/javascript'),
  css: utf8('text/css'),
  csv: utf8('text/csv'),
  cur: 'image/x-icon',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  eot: 'application/vnd.ms-fontobject',
  epub: 'application/epub+zip',
  flac: 'audio/flac',
  geojson: utf8('application/geo+json'),
  gif: 'image/gif',
  glb: 'model/gltf-binary',
  gltf: utf8('model/gltf+json'),
  gz: 'application/gzip',
  htm: utf8('text/html'),
  html: utf8('text/html'),
  ico: 'image/x-icon',
  ics: utf8('text/calendar'),
  jfif: 'image/jpeg',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: utf8('text/javascript'),
  json: utf8('application/json'),
  json5: utf8('application/json5'),
  jsonld: utf8('application/ld+json'),
  jsx: utf8('text/javascript'),
  jxl: 'image/jxl',
  log: utf8('text/plain'),
  m3u8: utf8('application/vnd.apple.mpegurl'),
  m4a: 'audio/mp4',
  m4v: 'video/mp4',
  map: utf8('application/json'),
  markdown: utf8('text/markdown'),
  md: utf8('text/markdown'),
  mdx: utf8('text/markdown'),
  mid: 'audio/midi',
  midi: 'audio/midi',
  mjs: utf8('text/javascript'),
  mkv: 'video/x-matroska',
  mov: 'video/quicktime',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  mpd: utf8('application/dash+xml'),
  mpeg: 'video/mpeg',
  mpg: 'video/mpeg',
  oga: 'audio/ogg',
  ogg: 'audio/ogg',
  ogv: 'video/ogg',
  opus: 'audio/ogg',
  otf: 'font/otf',
  pdf: 'application/pdf',
  png: 'image/png',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  rss: utf8('application/rss+xml'),
  rtf: 'application/rtf',
  svg: utf8('image/svg+xml'),
  tar: 'application/x-tar',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  // A MIME type of its own exists for video only; on the web the extension means source code.
  ts: utf8('text/plain'),
  tsv: utf8('text/tab-separated-values'),
  tsx: utf8('text/plain'),
  ttf: 'font/ttf',
  txt: utf8('text/plain'),
  usdz: 'model/vnd.usdz+zip',
  vtt: utf8('text/vtt'),
  wasm: 'application/wasm',
  wav: 'audio/wav',
  weba: 'audio/webm',
  webm: 'video/webm',
  webmanifest: utf8('application/manifest+json'),
  webp: 'image/webp',
  woff: 'font/woff',
  woff2: 'font/woff2',
  xhtml: utf8('application/xhtml+xml'),
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: utf8('application/xml'),
  xsl: utf8('application/xml'),
  yaml: utf8('application/yaml'),
  yml: utf8('application/yaml'),
  zip: 'application/zip',
}

const TYPES = new Map(Object.entries(BY_EXTENSION))

/** Names without an extension that are text wherever they occur. */
const TEXT_NAMES = new Set([
  'license',
  'licence',
  'readme',
  'changelog',
  'authors',
  'cname',
  'makefile',
  'dockerfile',
])

/** The content type of a file by its name. */
export function contentTypeOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const dot = name.lastIndexOf('.')
  if (dot < 0) return TEXT_NAMES.has(name) ? utf8('text/plain') : OTHER
  return TYPES.get(name.slice(dot + 1)) ?? OTHER
}

const COMPRESSIBLE =
  /^(?:text\/|font\/(?:otf|ttf)|image\/(?:svg\+xml|bmp|x-icon)|model\/gltf|application\/(?:json|javascript|ecmascript|xml|wasm|yaml|json5|rtf|x-javascript|vnd\.ms-fontobject|vnd\.apple\.mpegurl)|[a-z]+\/[a-z0-9.-]+\+(?:json|xml|text)\b)/i

/** Whether compressing content of this type is worth trying: the rest is compressed already. */
export const isCompressible = (type: string): boolean => COMPRESSIBLE.test(type)
