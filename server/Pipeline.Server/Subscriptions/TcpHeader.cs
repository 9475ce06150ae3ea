using System.Text.Json;
using Pipeline.Server.Protocol;

namespace Pipeline.Server.Subscriptions;

/// <summary>What a client says first over TCP: to which database, for what, in which version of the protocol.</summary>
internal sealed record TcpHeader(string Database, string Operation, int Version)
{
    /// <summary>The version that the server speaks best.</summary>
    public const int BestVersion = 53_000;

    private static readonly int[] Versions = [BestVersion, 51_000, 50_000, 41_400, 40];

    /// <summary>Whether the server speaks the version. They differ in what a batch may include beside documents, none of which is sent.</summary>
    public bool IsSpoken => Versions.Contains(Version);

    /// <summary>Reads it.</summary>
    /// <exception cref="BadRequestException">It is none.</exception>
    public static TcpHeader Read(JsonElement message) => new(
        TcpText.Of(message, "DatabaseName") ?? throw new BadRequestException("the header has no 'DatabaseName'"),
        TcpText.Of(message, "Operation") ?? throw new BadRequestException("the header has no 'Operation'"),
        message.TryGetProperty("OperationVersion", out var version) && version.ValueKind == JsonValueKind.Number && version.TryGetInt32(out var number) ? number : 0);
}
