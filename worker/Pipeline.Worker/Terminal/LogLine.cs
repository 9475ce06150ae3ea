using Spectre.Console;
using Spectre.Console.Rendering;

namespace Pipeline.Worker.Terminal;

/// <summary>A line of the log above a table that is drawn anew: takes away what is left of the table below it, and is not wrapped, so that it can be
/// copied whole.</summary>
internal sealed class LogLine(string text, Style style) : Renderable
{
    private const string EraseBelow = "\u001b[J";

    /// <inheritdoc/>
    protected override IEnumerable<Segment> Render(RenderOptions options, int maxWidth) =>
        [Segment.Control(EraseBelow), new Segment(text, style), Segment.LineBreak];
}
