// Decode every message of MCAP files by @mcap/core; print the number per topic as JSON, a line each.
import { open } from "node:fs/promises";
import { createRequire } from "node:module";

const require = createRequire(`${process.argv[2]}/`);
const { McapIndexedReader } = require("@mcap/core");
const { FileHandleReadable } = require("@mcap/nodejs");
const { parse } = require("@foxglove/rosmsg");
const { MessageReader } = require("@foxglove/rosmsg2-serialization");
const fzstd = require("fzstd");

for (const path of process.argv.slice(3)) {
  const file = await open(path, "r");
  const reader = await McapIndexedReader.Initialize({
    readable: new FileHandleReadable(file),
    decompressHandlers: { zstd: (buffer) => fzstd.decompress(buffer) },
  });
  const decoders = new Map();
  for (const [id, schema] of reader.schemasById) {
    const text = new TextDecoder().decode(schema.data);
    decoders.set(id, new MessageReader(parse(text, { ros2: true })));
  }
  const counts = {};
  for await (const message of reader.readMessages()) {
    const channel = reader.channelsById.get(message.channelId);
    decoders.get(channel.schemaId).readMessage(message.data);
    counts[channel.topic] = (counts[channel.topic] ?? 0) + 1;
  }
  console.log(JSON.stringify(counts));
  await file.close();
}
