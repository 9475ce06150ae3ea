using System.Text;
using System.Text.Json;
using Pipeline.TestKit.Services;

namespace Pipeline.IntegrationTests.Independent;

/// <summary>Reads a queue with Microsoft's own client for Node.js.</summary>
internal static class AzureQueueReader
{
    private const string Script = """
        const { QueueClient } = require('@azure/storage-queue');
        (async () => {
          const queue = new QueueClient(process.env.CONNECTION, process.argv[1]);
          for (;;) {
            const got = await queue.receiveMessages({ numberOfMessages: 32, visibilityTimeout: 600 });
            if (got.receivedMessageItems.length === 0) break;
            for (const m of got.receivedMessageItems) console.log(JSON.stringify(m.messageText));
          }
        })().catch(e => { console.error(e); process.exit(1); });
        """;

    public static async Task<List<JsonElement>> ReadAllAsync(string connection, string queue, bool base64)
    {
        var modules = Path.Combine(LocalInstallation.Cache, "npm", "node_modules");
        if (
            LocalInstallation.FindProgram("node") is not { } node
            || !Directory.Exists(Path.Combine(modules, "@azure", "storage-queue"))
        )
        {
            throw Missing.Program("@azure/storage-queue", "npm");
        }

        var output = await Tool.RunAsync(
            node,
            ["-e", Script, queue],
            new Dictionary<string, string> { ["CONNECTION"] = connection, ["NODE_PATH"] = modules }
        );
        return
        [
            .. Tool.ParseLines(output)
                .Select(t =>
                    JsonDocument
                        .Parse(base64 ? Encoding.UTF8.GetString(t.GetBytesFromBase64()) : t.GetString()!)
                        .RootElement
                ),
        ];
    }
}
