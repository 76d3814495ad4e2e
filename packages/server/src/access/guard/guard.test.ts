import { describe, expect, test } from "vitest";
import {
  bearerOf,
  changesState,
  foreignBody,
  foreignHost,
  foreignOrigin,
  hasBody,
  oddFraming,
  ourHosts,
  repeatedHeader,
} from "./guard.ts";

const headers = (fields: Record<string, string>) => new Headers(fields);
const code = (refused: { code: string } | null) => refused?.code ?? "ok";

describe("which Host is ours", () => {
  const ours = ourHosts(4860, ["box.example", "tunnel.example:8443"]);
  const host = (name: string, url = `http://${name}/api`) =>
    code(foreignHost(headers({ host: name }), url, ours));

  test.each([
    "localhost:4860",
    "127.0.0.1:4860",
    "[::1]:4860",
    "LocalHost:4860",
    "box.example",
    "box.example:4860",
    "tunnel.example:8443",
  ])("%s is", (name) => expect(host(name)).toBe("ok"));

  test.each([
    "evil.test",
    "evil.test:4860",
    "localhost",
    "localhost:4861",
    "localhost.:4860",
    "localhost:4860.evil.test",
    "localhost:4860@evil.test",
    "evil.localhost:4860",
    "127.0.0.2:4860",
    "127.1:4860",
    "2130706433:4860",
    "0.0.0.0:4860",
    "[::]:4860",
    "[::ffff:127.0.0.1]:4860",
    "box.example:80",
    "tunnel.example",
    "sub.box.example",
    "",
  ])("%j is not", (name) => expect(host(name)).toBe("bad_host"));

  test("an absent Host is refused", () => {
    expect(code(foreignHost(headers({}), "http://localhost:4860/", ours))).toBe("bad_host");
  });

  test("a request target that names another host is refused, whatever the header says", () => {
    expect(host("localhost:4860", "http://evil.test/api")).toBe("bad_host");
    expect(host("localhost:4860", "http://127.0.0.1:4860/api")).toBe("bad_host");
    expect(host("localhost:4860", "no url")).toBe("bad_host");
  });

  test("on port 80 browsers leave the port out", () => {
    const usual = ourHosts(80);
    expect(code(foreignHost(headers({ host: "localhost" }), "http://localhost/", usual))).toBe(
      "ok",
    );
  });
});

describe("which Origin is ours", () => {
  const from = (fields: Record<string, string>) =>
    code(foreignOrigin(headers({ host: "localhost:4860", ...fields })));

  test.each([
    {},
    { origin: "http://localhost:4860" },
    { origin: "https://localhost:4860" },
    { origin: "http://localhost:4860", "sec-fetch-site": "same-origin" },
    { "sec-fetch-site": "none" },
  ])("%j is", (fields) => expect(from(fields)).toBe("ok"));

  test.each([
    { origin: "null" },
    { origin: "" },
    { origin: "http://evil.test" },
    { origin: "http://localhost" },
    { origin: "http://localhost:3000" },
    { origin: "http://127.0.0.1:4860" },
    { origin: "http://localhost:4860.evil.test" },
    { origin: "http://localhost:4860, http://evil.test" },
    { origin: "file://" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "same-origin, cross-site" },
    { origin: "http://localhost:4860", "sec-fetch-site": "cross-site" },
  ])("%j is not", (fields) => expect(from(fields as Record<string, string>)).toBe("bad_origin"));
});

describe("a body", () => {
  const sent = (fields: Record<string, string>, method = "POST") =>
    code(foreignBody(headers(fields), method));
  const length = { "content-length": "2" };

  test("is there when it is announced", () => {
    expect(hasBody(headers({}))).toBe(false);
    expect(hasBody(headers({ "content-length": "0" }))).toBe(false);
    expect(hasBody(headers(length))).toBe(true);
    expect(hasBody(headers({ "transfer-encoding": "chunked" }))).toBe(true);
  });

  test.each(["application/json", "application/json; charset=utf-8", "Application/JSON ;x=y"])(
    "may be %s",
    (type) => expect(sent({ ...length, "content-type": type })).toBe("ok"),
  );

  test.each([
    "text/plain",
    "text/plain; application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "application/json, text/plain",
    "",
  ])("may not be %j", (type) => {
    expect(sent({ ...length, "content-type": type })).toBe("unsupported_media_type");
    expect(sent({ "transfer-encoding": "chunked", "content-type": type })).toBe(
      "unsupported_media_type",
    );
  });

  test("may not be compressed, so that no compression bomb is unpacked [S3]", () => {
    const json = { ...length, "content-type": "application/json" };
    expect(sent({ ...json, "content-encoding": "gzip" })).toBe("unsupported_media_type");
    expect(sent({ ...json, "content-encoding": "identity" })).toBe("ok");
  });

  test("needs no content type when it is absent, and is refused with a GET", () => {
    expect(sent({})).toBe("ok");
    expect(sent({ ...length, "content-type": "application/json" }, "GET")).toBe("bad_input");
  });
});

test("every method except GET and HEAD counts as a change", () => {
  const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"];
  expect(methods.filter((method) => !changesState(method))).toEqual(["GET", "HEAD"]);
});

describe("a bearer", () => {
  const bearer = (value: string) => bearerOf(headers({ authorization: value }));

  test("is read as it is", () => {
    expect(bearer("Bearer hfk_a-b_c")).toBe("hfk_a-b_c");
    expect(bearer("bearer  x")).toBe("x");
    expect(bearerOf(headers({}))).toBeNull();
  });

  test.each(["", "Bearer", "Bearer a b", "Basic eDp5", "hfk_x", "Bearer a,b", "Token x"])(
    "is not %j",
    (value) => expect(bearer(value)).toMatchObject({ code: "unauthorized" }),
  );
});

test.each(["host", "authorization", "content-length"])("a second %s is refused", (name) => {
  const fields = headers({ [name]: "1" });
  expect(repeatedHeader(fields)).toBeNull();
  fields.append(name, "1");
  expect(repeatedHeader(fields)).toMatchObject({ code: "bad_input" });
});

test("a body comes in chunks and no other coding, because a proxy may parse others differently [S8]", () => {
  const coded = (coding: string) => oddFraming(headers({ "transfer-encoding": coding }));
  expect(oddFraming(headers({}))).toBeNull();
  expect(coded("Chunked")).toBeNull();
  for (const coding of ["identity, chunked", "chunked, chunked", "gzip, chunked", "x", ""]) {
    expect(coded(coding)).toMatchObject({ code: "bad_input", details: { close: true } });
  }
});
