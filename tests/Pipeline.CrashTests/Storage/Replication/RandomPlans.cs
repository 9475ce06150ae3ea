using System.Globalization;
using System.Text;
using Pipeline.Storage;

namespace Pipeline.CrashTests.Storage.Replication;

/// <summary>
/// Seeded operations of all kinds that change pages: small and large values, deletions, dropped trees.
/// </summary>
internal sealed class RandomPlans(int seed)
{
    private readonly Random _random = new(seed);
    private int _count;

    /// <summary>Draws an operation. It runs the same each time it is run on the same state.</summary>
    public Action<WriteTransaction> Next()
    {
        var steps = new List<Action<WriteTransaction>>();
        for (var i = _random.Next(1, 8); i > 0; i--)
        {
            var name = "tree" + _random.Next(3);
            var key = Encoding.UTF8.GetBytes("key/" + _random.Next(150).ToString("d4", CultureInfo.InvariantCulture));
            var dice = _random.Next(60);
            if (dice == 0)
            {
                steps.Add(t => t.DropTree(name));
            }
            else if (dice < 20)
            {
                steps.Add(t => t.CreateTree(name).Delete(key));
            }
            else
            {
                var value = new byte[
                    _random.Next(40) switch
                    {
                        0 => _random.Next(60000),
                        <= 3 => _random.Next(6000),
                        _ => _random.Next(400),
                    }
                ];
                _random.NextBytes(value);
                steps.Add(t => t.CreateTree(name).Put(key, value));
            }
        }
        var count = BitConverter.GetBytes(++_count);
        steps.Add(t => t.CreateTree("n").Put("n"u8, count));
        return t =>
        {
            foreach (var step in steps)
                step(t);
        };
    }
}
