using Pipeline.Backups;
using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>The block <c>retention</c> of a backup.</summary>
public sealed class BackupRetentionConfiguration
{
    /// <summary>A count.</summary>
    [Setting("How many of the newest full backups are kept, with their increments.", Minimum = 1)]
    public int? Keep { get; init; }

    /// <summary>Days.</summary>
    [Setting("For how many days the newest full backup of the day is kept.", Minimum = 0)]
    public int Daily { get; init; }

    /// <summary>Weeks.</summary>
    [Setting("The same for weeks, which begin on Monday.", Minimum = 0)]
    public int Weekly { get; init; }

    /// <summary>Months.</summary>
    [Setting("The same for months.", Minimum = 0)]
    public int Monthly { get; init; }

    /// <summary>Years.</summary>
    [Setting("The same for years.", Minimum = 0)]
    public int Yearly { get; init; }

    /// <summary>The rules.</summary>
    public RetentionPolicy ToPolicy() =>
        new()
        {
            Keep = Keep,
            Daily = Daily,
            Weekly = Weekly,
            Monthly = Monthly,
            Yearly = Yearly,
        };
}
