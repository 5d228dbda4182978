#quit;;
1;;
