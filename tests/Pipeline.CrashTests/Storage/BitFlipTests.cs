using System.Diagnostics;
using Pipeline.Storage;
using Pipeline.TestKit;
using Pipeline.TestKit.Storage;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.CrashTests.Storage;

/// <summary>
/// Flips one random bit at a time in the files of a store and opens it. Either the damage is reported at the page or
/// journal entry that holds it, or the flip is proven harmless. Then the store holds everything that the model says,
/// and every page in use has the same bytes as without the flip (an encrypted page is proven by its tag). A flip in the
/// last journal entry may lose that entry. PIPELINE_FLIPS sets how many bits of each store are tried.
/// </summary>
public sealed class BitFlipTests(ITestOutputHelper output)
{
    private const int Seeds = 5;

    [Theory]
    [InlineData(true, false)]
    [InlineData(false, false)]
    [InlineData(true, true)]
    [InlineData(false, true)]
    public void A_flipped_bit_is_named_or_harmless_and_never_gives_wrong_data(bool closed, bool encrypted)
    {
        var flips = RunSetting.Read("PIPELINE_FLIPS", encrypted ? 1000 : 5000);
        var watch = Stopwatch.StartNew();
        var tally = new FlipTally();
        for (var seed = 1; seed <= Seeds; seed++)
        {
            using var store = FlippedStore.Make(seed, closed, encrypted);
            var random = new Random(seed);
            for (var flip = 0; flip < flips / Seeds; flip++)
            {
                var (path, bit) = store.Draw(random);
                var fault = store.Try(path, bit, tally);
                Assert.True(
                    fault is null,
                    $"seed {seed}, closed {closed}, encrypted {encrypted}, flip {flip}, bit {bit % 8} of byte {bit / 8} of {path}: {fault}"
                );
            }
        }
        output.WriteLine($"{tally} in {watch.Elapsed.TotalSeconds:f1} s");
        Assert.True(tally.Named > flips / 20 && tally.Harmless > flips / 20, tally.ToString());
        Assert.True(tally.Looked > flips / 20, tally.ToString());
        Assert.True(closed ? tally.LastEntry == 0 : tally.LastEntry < flips / 10, tally.ToString());
    }
}
