using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;
using Pipeline.Backups;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Running;

namespace Pipeline.Hosting.Cluster;

/// <summary>The leader's request that another node makes a backup.</summary>
/// <param name="Node">The node that is to make it.</param>
/// <param name="Leader">The leader that asks.</param>
/// <param name="Backup">The backup's name.</param>
/// <param name="Kind">The kind; null chooses.</param>
/// <param name="Run">The id of the scheduled run; null for a run on request.</param>
/// <param name="After">The transaction that the backup must contain at least.</param>
internal sealed record BackupOrder(string Node, string Leader, string Backup, BackupKind? Kind, string? Run, long After)
{
    /// <summary>The path of the request.</summary>
    public const string Route = "/cluster/backup";

    /// <summary>The request.</summary>
    public string Path =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"{Route}?node={Uri.EscapeDataString(Node)}&leader={Uri.EscapeDataString(Leader)}&name={Uri.EscapeDataString(Backup)}&kind={Kind}&run={Uri.EscapeDataString(Run ?? "")}&after={After}"
        );
}

/// <summary>A line of the answer: progress from time to time, and finally the result or the error.</summary>
internal sealed record BackupOrderLine
{
    private static readonly JsonSerializerOptions Json = new(JsonSerializerDefaults.Web)
    {
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    };

    /// <summary>The progress of the backup; null before its first step.</summary>
    public BackupProgress? Progress { get; init; }

    /// <summary>The result at each destination; null before the end.</summary>
    public IReadOnlyList<BackupOrderResult>? Results { get; init; }

    /// <summary>Why no backup was made; null if one was.</summary>
    public string? Error { get; init; }

    /// <summary>Reads a line.</summary>
    /// <exception cref="JsonException">The text is not such a line.</exception>
    public static BackupOrderLine Parse(string line) =>
        JsonSerializer.Deserialize<BackupOrderLine>(line, Json) ?? throw new JsonException("The line is empty.");

    /// <summary>The line's bytes with the line end.</summary>
    public byte[] ToBytes() => [.. JsonSerializer.SerializeToUtf8Bytes(this, Json), (byte)'\n'];
}

/// <summary>The result at a destination.</summary>
/// <param name="Destination">Kind and place.</param>
/// <param name="Backup">The backup; null if it failed.</param>
/// <param name="Error">Why it failed.</param>
/// <param name="Removed">The backups that retention removed there.</param>
internal sealed record BackupOrderResult(
    string Destination,
    BackupManifest? Backup,
    string? Error,
    IReadOnlyList<string> Removed
)
{
    /// <summary>Converts a report.</summary>
    public static BackupOrderResult Of(DestinationReport report) =>
        new(report.Destination, report.Backup, report.Error?.Message, report.Removed);

    /// <summary>Converts back to a report.</summary>
    public DestinationReport ToReport() =>
        new(Destination, Backup, Error is null ? null : new BackupException(Error)) { Removed = Removed };
}
