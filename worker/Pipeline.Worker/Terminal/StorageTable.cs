using System.Globalization;
using Pipeline.Hosting;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Pipeline.Worker.Terminal;

/// <summary>Draws the storage's figures for people.</summary>
internal static class StorageTable
{
    /// <summary>A table of the kinds of I/O, then lines with other useful figures.</summary>
    public static IRenderable Draw(StorageView view)
    {
        var table = new Table().Border(TableBorder.Rounded);
        table.AddColumn("io");
        foreach (var name in new[] { "count", "MiB", "MiB/s", "mean", "p50 <", "p99 <", "longest" })
            table.AddColumn(new TableColumn(name).RightAligned());
        foreach (var io in view.Io)
        {
            table.AddRow(
                new Text(io.Kind),
                Number(io.Count),
                Fixed(io.Bytes / 1048576.0),
                Fixed(io.BytesPerSecond / 1048576),
                Time(io.Count == 0 ? 0 : io.Seconds / io.Count),
                Time(io.P50Seconds),
                Time(io.P99Seconds),
                Time(io.LongestSeconds)
            );
        }
        return new Rows([table, .. Lines(view).Select(l => new Text(l))]);
    }

    /// <summary>Describes an open reader and the data that it retains.</summary>
    public static string Describe(ReaderView reader) =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"reader '{reader.Owner}' of transaction {reader.Transaction:N0}, open for {reader.AgeSeconds:0.0} s: holds back {reader.HeldTransactions:N0} transactions, {reader.HeldVersions:N0} page versions, {reader.HeldBytes / 1048576.0:N1} MiB"
        );

    private static IEnumerable<string> Lines(StorageView view)
    {
        foreach (var reader in view.Readers)
            yield return Describe(reader);
        yield return string.Create(
            CultureInfo.InvariantCulture,
            $"transaction {view.Transaction:N0}, checkpoint {view.Checkpoint:N0}, data file {view.DataFileBytes / 1048576.0:N1} MiB ({view.FreeBytes / 1048576.0:N1} free), journal {view.UnflushedJournalBytes / 1048576.0:N1} MiB, page versions {view.ScratchBytes / 1048576.0:N1} MiB"
        );
        if (view.Scrub is { IsRunning: true } scrub)
        {
            yield return string.Create(
                CultureInfo.InvariantCulture,
                $"scrub: {scrub.Pages:N0} of {scrub.TotalPages:N0} pages, in tree '{scrub.Tree}'"
            );
        }

        foreach (var damage in view.Scrub?.Damaged ?? [])
            yield return "damage: " + damage.Description;
        foreach (var disk in view.Disks)
        {
            yield return string.Create(
                CultureInfo.InvariantCulture,
                $"{disk.FreeBytes / 1048576.0:N1} MiB free on the disk of the {disk.Part} ({disk.Folder})"
            );
        }

        if (view.Refusals > 0)
        {
            yield return string.Create(
                CultureInfo.InvariantCulture,
                $"{view.Refusals:N0} writes were refused because the disk was full"
            );
        }

        if (view.Failure is not null)
            yield return "writes are refused: " + view.Failure;
    }

    private static Text Number(long value) => new(value.ToString("N0", CultureInfo.InvariantCulture));

    private static Text Fixed(double value) => new(value.ToString("N1", CultureInfo.InvariantCulture));

    private static Text Time(double seconds) =>
        new(
            seconds < 0.001
                ? string.Create(CultureInfo.InvariantCulture, $"{seconds * 1e6:0} µs")
                : string.Create(CultureInfo.InvariantCulture, $"{seconds * 1e3:0.0} ms")
        );
}
