using Microsoft.AspNetCore.Http;
using Pipeline.Database;
using Pipeline.Server;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;
using Pipeline.Subscriptions;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <summary>A body that is refused is read to its end, so that its client reads why.</summary>
public sealed class RefusedBodyTests
{
    private const int Limit = 1_000;
    private const int Length = 2 << 20;

    [Theory]
    [InlineData("PUT", "/databases/shop/attachments", "?id=orders/1&name=n", null, "")]
    [InlineData(
        "POST",
        "/databases/shop/bulk_docs",
        "",
        "multipart/form-data; boundary=b",
        "--b\r\n\r\n{\"Commands\":[]}\r\n--b\r\nCommand-Type: AttachmentStream\r\n\r\n"
    )]
    public async Task An_attachment_that_is_too_large_is_skipped(
        string method,
        string path,
        string query,
        string? type,
        string start
    )
    {
        await using var database = DocumentDatabase.Open(
            new DatabaseOptions { Name = "shop", MaxAttachmentBytes = Limit }
        );
        await database.PutAsync("orders/1", "{}"u8.ToArray());
        await using var subscriptions = SubscriptionHost.Open(database);
        await using var server = await PipelineServer.StartAsync(
            new ServerOptions { Shared = [new SharedDatabase(database, subscriptions)] }
        );
        using var body = new MemoryStream();
        await body.WriteAsync(System.Text.Encoding.ASCII.GetBytes(start));
        await body.WriteAsync(new byte[Length]);
        body.Position = 0;
        var context = new DefaultHttpContext
        {
            Request =
            {
                Method = method,
                Path = path,
                QueryString = new QueryString(query),
                ContentType = type,
                Body = body,
            },
        };
        await server.Mount.RunAsync(context, path, ClientIdentity.Trusted);
        Assert.Equal(StatusCodes.Status413PayloadTooLarge, context.Response.StatusCode);
        Assert.Equal(body.Length, body.Position);
    }
}
