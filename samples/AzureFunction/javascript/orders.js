const { app } = require('@azure/functions');
const { BlobServiceClient } = require('@azure/storage-blob');
const { handle } = require('./handle');

app.storageQueue('orders', {
  queueName: 'orders',
  connection: 'AzureWebJobsStorage',
  handler: async (event, context) => {
    const blobs = BlobServiceClient.fromConnectionString(process.env.AzureWebJobsStorage);
    const handled = await handle(event, blobs);
    context.log(handled ? `${event.subject} is handled` : `${event.id} came again and is left out`);
  },
});
