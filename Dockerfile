# Aloft as an image. It builds from a clone, with or without BuildKit:
#
#   docker build -t aloft .
#
# How to run it is in docs/installing.md. BASE is any image with Node 24, npm and a Debian userland.
ARG BASE=node:24-bookworm-slim

# What the package would hold, with the dependencies that the lock file names.
FROM ${BASE} AS package
WORKDIR /opt/aloft
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run --silent build:package \
  && npm prune --omit=dev --no-audit --no-fund \
  # The image has a Node of its own.
  && rm -rf node_modules/node-bin-* node_modules/node-darwin-* node_modules/node-linux-* node_modules/node-win-* \
    node_modules/.bin/node node_modules/.cache src scripts

FROM ${BASE}
# Programs of the sandbox, and the Python of functions; a base that has them needs no package mirror.
RUN for program in bwrap ip nft setpriv python3; do command -v "$program" || missing=yes; done > /dev/null \
  && if [ "$missing" = yes ]; then \
    apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends bubblewrap ca-certificates iproute2 nftables python3 python3-pip util-linux \
    && rm -rf /var/lib/apt/lists/*; \
  fi
RUN echo 'aloft:x:10001:10001:Aloft:/var/lib/aloft:/usr/sbin/nologin' >> /etc/passwd \
  && echo 'aloft:x:10001:' >> /etc/group \
  && mkdir -p /var/lib/aloft /var/cache/aloft \
  && chown 10001:10001 /var/lib/aloft /var/cache/aloft \
  && chmod 700 /var/lib/aloft /var/cache/aloft
COPY --from=package /opt/aloft /opt/aloft
RUN ln -s /opt/aloft/bin/aloft.js /usr/local/bin/aloft

ENV NODE_COMPILE_CACHE=/var/cache/aloft \
  HOME=/var/lib/aloft \
  ALOFT_DATA_DIR=/var/lib/aloft \
  ALOFT_HOST=0.0.0.0 \
  # A container that is not allowed to sandbox says so and ends, instead of running code of users beside its data.
  ALOFT_SANDBOX=required
WORKDIR /var/lib/aloft
VOLUME /var/lib/aloft
EXPOSE 3000 3443 5300/tcp 5300/udp
USER 10001:10001
# Without a host it is the API that answers, whatever ALOFT_API_HOSTS says.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "process.exitCode = 1; require('node:net').connect(process.env.ALOFT_PORT || 3000, '127.0.0.1').on('data', (data) => process.exit(/^HTTP.{4} 200 /.test(data) ? 0 : 1)).on('error', () => {}).write('GET /healthz HTTP/1.0\\r\\n\\r\\n')"]
ENTRYPOINT ["aloft"]
CMD ["server"]
