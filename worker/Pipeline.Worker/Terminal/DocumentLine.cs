using System.Globalization;

namespace Pipeline.Worker.Terminal;

/// <summary>
/// The progress of an import or export on a terminal: documents, rate, and the remaining time where the total is known.
/// </summary>
/// <param name="console">The terminal.</param>
/// <param name="time">The clock.</param>
/// <param name="stage">What is done.</param>
/// <param name="total">All documents; 0 if unknown.</param>
internal sealed class DocumentLine(WorkerConsole console, TimeProvider time, string stage, long total) : IProgress<long>
{
    private readonly ProgressLine _line = new(console, time);

    /// <inheritdoc/>
    public void Report(long value) => _line.Draw(elapsed => Draw(stage, value, total, elapsed));

    /// <summary>Removes the line.</summary>
    public void Clear() => _line.Clear();

    internal static string Draw(string stage, long done, long total, TimeSpan elapsed)
    {
        var rate = elapsed > TimeSpan.Zero ? done / elapsed.TotalSeconds : 0;
        if (total <= 0)
            return string.Create(CultureInfo.InvariantCulture, $"{stage} {done:N0} documents, {rate:N0}/s");
        var share = Math.Min(1, (double)done / total);
        var left = rate > 0 && total > done ? TimeSpan.FromSeconds((total - done) / rate) : TimeSpan.Zero;
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{stage} {ProgressLine.Bar(share)} {100 * share:0} %, {done:N0} of {total:N0} documents, {rate:N0}/s, {left:h\\:mm\\:ss} left"
        );
    }
}
