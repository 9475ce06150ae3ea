using Spectre.Console;
using Spectre.Console.Rendering;

namespace Pipeline.Worker.Terminal;

/// <summary>
/// A log line above a redrawn table. It clears the rest of the old table below it, and does not wrap, so that it can be
/// copied as a whole.
/// </summary>
internal sealed class LineAboveTable(string text, Style style) : Renderable
{
    private const string EraseBelow = "\u001b[J";

    /// <inheritdoc/>
    protected override IEnumerable<Segment> Render(RenderOptions options, int maxWidth) =>
        [Segment.Control(EraseBelow), new Segment(text, style), Segment.LineBreak];
}
