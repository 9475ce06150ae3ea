using Xunit;

namespace Pipeline.Indexing.Tests.Scoring;

public sealed class Bm25Tests
{
    [Fact]
    public void Scores_are_those_of_the_formula_in_double_precision()
    {
        var random = new Random(8);
        for (var i = 0; i < 10_000; i++)
        {
            var (entries, found, frequency, length, average) = (
                random.Next(1, 1_000_000),
                0,
                random.Next(1, 50),
                random.Next(1, 5000),
                1 + random.NextDouble() * 500
            );
            found = random.Next(1, entries + 1);
            var idf = Math.Log(1 + (entries - found + 0.5) / (found + 0.5));
            var expected = idf * frequency / (frequency + 1.2 * (1 - 0.75 + 0.75 * length / average));
            var actual = new Bm25(Bm25.Idf(entries, found), (float)average).Score(frequency, length);
            Assert.Equal(expected, actual, Math.Max(expected, 1e-6) * 1e-5);
        }
    }

    [Fact]
    public void Many_at_once_are_bit_for_bit_the_same_as_one_by_one()
    {
        var random = new Random(9);
        for (var count = 0; count < 150; count++)
        {
            var weight = new Bm25((float)random.NextDouble() * 10, 1 + (float)random.NextDouble() * 200);
            var frequencies = Enumerable.Range(0, count).Select(_ => random.Next(1, 30)).ToArray();
            var lengths = Enumerable.Range(0, count).Select(_ => random.Next(1, 2000)).ToArray();
            var scores = new float[count];
            weight.Score(frequencies, lengths, scores);
            Assert.Equal(frequencies.Zip(lengths, (f, l) => weight.Score(f, l)), scores);
        }
    }
}
