# The service alone: no development packages, not root. Built are the portal and what starts.
FROM node:24-slim AS built
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts && npm cache clean --force
COPY views/assets/tokens.css views/assets/tokens.css
COPY docs/apps.md docs/apps.md
COPY tsconfig.json ./
COPY deploy/bundle.ts deploy/bundle.ts
COPY src src
COPY adapters adapters
COPY portal portal
RUN npm run build

FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force

FROM node:24-slim
WORKDIR /app
# Code that V8 compiled once is read back by the next start of this container. The threshold makes glibc give the 19 MB
# of each argon2id hash back; else every thread of Node keeps them.
ENV NODE_ENV=production NODE_COMPILE_CACHE=/tmp/compile-cache MALLOC_MMAP_THRESHOLD_=1048576 app_listen__host=0.0.0.0
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY src src
COPY adapters adapters
COPY views views
COPY --from=built /app/dist/service dist/service
COPY --from=built /app/portal/dist portal/dist
COPY docs/openapi.json docs/openapi.json
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.app_listen__port ?? 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/service/main.js"]
