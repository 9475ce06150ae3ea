using System.Globalization;

namespace ClusterSample;

/// <summary>What the command line says.</summary>
/// <param name="Kafka">The brokers; null for a log in a folder.</param>
/// <param name="Kills">How often the leader is killed.</param>
/// <param name="Pauses">How often the leader is stopped for longer than its lease.</param>
/// <param name="Wipes">How often a follower loses its folder.</param>
/// <param name="Handovers">How often the leader hands over.</param>
/// <param name="Data">The folder of all nodes.</param>
public sealed record Settings(string? Kafka, int Kills, int Pauses, int Wipes, int Handovers, string Data)
{
    public const string Usage =
        "usage: dotnet run --project samples/Cluster -- [--kafka HOST:PORT,…] [--kills NUMBER] [--pauses NUMBER] [--wipes NUMBER] [--handovers NUMBER] [--data FOLDER]";

    /// <summary>The settings; null if the arguments are none of these.</summary>
    public static Settings? Read(string[] args)
    {
        var settings = new Settings(null, 3, 1, 1, 1, Path.GetFullPath("data"));
        for (var i = 0; i < args.Length; i += 2)
        {
            if (i + 1 == args.Length)
                return null;
            var value = args[i + 1];
            switch (args[i])
            {
                case "--kafka":
                    settings = settings with { Kafka = value };
                    break;
                case "--data":
                    settings = settings with { Data = Path.GetFullPath(value) };
                    break;
                case "--kills" when IsNumber(value, out var number):
                    settings = settings with { Kills = number };
                    break;
                case "--pauses" when IsNumber(value, out var number):
                    settings = settings with { Pauses = number };
                    break;
                case "--wipes" when IsNumber(value, out var number):
                    settings = settings with { Wipes = number };
                    break;
                case "--handovers" when IsNumber(value, out var number):
                    settings = settings with { Handovers = number };
                    break;
                default:
                    return null;
            }
        }
        return settings;
    }

    private static bool IsNumber(string text, out int number) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number);
}
