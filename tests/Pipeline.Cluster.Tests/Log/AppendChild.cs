using System.Globalization;
using System.Text;

namespace Pipeline.Cluster.Tests.Log;

/// <summary>
/// A process that appends to a directory log until it is killed. It prints each record that it was told is kept, with
/// its place.
/// </summary>
internal static class AppendChild
{
    public static async Task<int> RunAsync(string folder, int seed)
    {
        var random = new Random(seed);
        var dies = random.Next(3) > 0;
        var left = random.Next(1, 150);
        var step = (DirectoryLogStep)random.Next(5);
        await using var log = await DirectoryLog.OpenAsync(
            folder,
            new DirectoryLogOptions
            {
                SegmentBytes = 20_000,
                // Some end themselves at a chosen step, as a kill from outside rarely meets it.
                AtStep = at =>
                {
                    if (dies && at == step && --left <= 0)
                        System.Diagnostics.Process.GetCurrentProcess().Kill();
                },
            }
        );
        for (var n = 0; ; n++)
        {
            var record = string.Create(
                CultureInfo.InvariantCulture,
                $"{seed}/{n} {new string('x', random.Next(2000))}"
            );
            var answer = await log.AppendAsync(Encoding.UTF8.GetBytes(record), (await log.GetBoundsAsync()).End);
            if (answer.Outcome == AppendOutcome.At)
            {
                await Console.Out.WriteLineAsync(
                    string.Create(CultureInfo.InvariantCulture, $"{answer.Place} {seed}/{n}")
                );
            }
            else if (answer.Outcome == AppendOutcome.Unknown)
            {
                return 1;
            }
        }
    }
}
