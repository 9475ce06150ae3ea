const { createHash } = require('node:crypto');

/** Handles one event once. `blobs` is a BlobServiceClient. Gives whether it was handled now; a repeat is not. What it throws makes the host try again. */
async function handle(event, blobs) {
  if (event.specversion !== '1.0') throw new Error(`not a CloudEvent 1.0: ${JSON.stringify(event).slice(0, 100)}`);
  const order = event.dataref ? await fetchClaim(event.dataref, blobs) : event.data;
  if (!order || !order.Id) throw new Error(`${event.id}: there is no order in it`);

  // The blob's name depends only on the change, so a retry after a crash writes the same blob.
  const name = createHash('sha256').update(`${event.source}\n${event.id}`).digest('hex').slice(0, 40);
  const container = blobs.getContainerClient('handled');
  await container.createIfNotExists();
  const result = JSON.stringify({ id: event.id, order: order.Id, lines: order.Lines });
  try {
    await container.getBlockBlobClient(name).upload(result, Buffer.byteLength(result), { conditions: { ifNoneMatch: '*' } });
    return true;
  } catch (error) {
    if (error.statusCode === 409 || error.statusCode === 412) return false;
    throw error;
  }
}

/** The body of a message that was too large for the queue. */
async function fetchClaim(address, blobs) {
  const path = new URL(address).pathname.split('/').filter(p => p);
  const [container, ...name] = path.slice(-2);
  const bytes = await blobs.getContainerClient(container).getBlobClient(decodeURIComponent(name.join('/'))).downloadToBuffer();
  return JSON.parse(bytes.toString('utf8'));
}

module.exports = { handle };
