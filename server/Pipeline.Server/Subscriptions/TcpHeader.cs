using System.Text.Json;
using Pipeline.Server.Errors;

namespace Pipeline.Server.Subscriptions;

/// <summary>A client's first message over TCP: the database, the operation, and the protocol version.</summary>
internal sealed record TcpHeader(string Database, string Operation, int Version)
{
    /// <summary>The protocol version that the server prefers.</summary>
    public const int BestVersion = 53_000;

    private static readonly int[] Versions = [BestVersion, 51_000, 50_000, 41_400, 40];

    /// <summary>
    /// Whether the server supports the version. Versions differ in what a batch may include besides documents, and the
    /// server sends none of that.
    /// </summary>
    public bool IsSpoken => Versions.Contains(Version);

    /// <summary>Parses a header.</summary>
    /// <exception cref="BadRequestException">The message is not a header.</exception>
    public static TcpHeader Read(JsonElement message) =>
        new(
            TcpText.Of(message, "DatabaseName") ?? throw new BadRequestException("the header has no 'DatabaseName'"),
            TcpText.Of(message, "Operation") ?? throw new BadRequestException("the header has no 'Operation'"),
            message.TryGetProperty("OperationVersion", out var version)
            && version.ValueKind == JsonValueKind.Number
            && version.TryGetInt32(out var number)
                ? number
                : 0
        );
}
